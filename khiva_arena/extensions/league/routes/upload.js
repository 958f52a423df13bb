"use strict";
// Sends the file that an author chose as it is, and goes to the page that shows what came.
{
  /** @param {string} name @returns {any} */
  const part = (name) => document.querySelector(`#upload ${name}`);
  const [form, input, button, status] = ["", "input", "button", "output"].map(part);
  const send = async () => {
    const name = input.files[0].name.replace(/( ?\(\d+\))?\.entry$/i, "");
    const headers = { "content-type": "application/octet-stream", "x-form-token": form.dataset.token };
    const answer = await fetch(`${form.action}?name=${encodeURIComponent(name)}`, { method: "POST", body: input.files[0], headers });
    if (answer.ok) return location.assign(form.action);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    throw new Error(page.querySelector("main p")?.textContent ?? `status ${answer.status}`);
  };
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    button.disabled = true;
    status.textContent = "The file is on its way …";
    try {
      await send();
    } catch (error) {
      status.textContent = `Not taken: ${/** @type {Error} */ (error).message}`;
    }
    button.disabled = false;
  });
}
