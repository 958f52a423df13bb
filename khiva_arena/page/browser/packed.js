// What the page holds as compressed blocks, each in a script element that no browser runs.

export const DAMAGED = "This part of the page is damaged: the file was cut short or changed.";

/** What a reader sees in place of what cannot be drawn. @param {unknown} error */
export function sentence(error) {
  if (error instanceof Unreadable) return error.message;
  console.error(error);
  return DAMAGED;
}

/** Its message is for the reader. */
class Unreadable extends Error {}

/**
 * The value of a block. Throws Unreadable, with a sentence for the reader.
 * @param {string} id
 * @returns {Promise<any>}
 */
export async function unpacked(id) {
  const element = document.getElementById(id);
  if (!element) throw new Unreadable("This part of the page is missing: the file was cut short or changed.");
  let bytes;
  try {
    bytes = Uint8Array.from(atob((element.textContent ?? "").trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  } catch {
    throw new Unreadable(DAMAGED);
  }
}
