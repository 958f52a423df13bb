// What the page holds as compressed blocks, each in a script element that no browser runs.

/**
 * The value of a block. Throws an Error with a sentence for the reader.
 * @param {string} id
 * @returns {Promise<any>}
 */
export async function unpacked(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error("This part of the page is missing: the file was cut short or changed.");
  let bytes;
  try {
    bytes = Uint8Array.from(atob((element.textContent ?? "").trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  } catch {
    throw new Error("This part of the page is damaged: the file was cut short or changed.");
  }
}
