// Runs the page in jsdom against a server: node check.mjs URL TOKEN CONVERSATION "what to say" "what must be answered"
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const [url, token, conversation, said, wanted] = process.argv.slice(2);
const dom = new JSDOM("<!doctype html><div id=root></div>", { url: `${url}/`, runScripts: "outside-only", pretendToBeVisual: true });
const { window } = dom;
Object.assign(window, { PREMATH: { url, token, conversation }, TextEncoder, TextDecoder, structuredClone });
Object.assign(window, { ReadableStream, TransformStream, TextDecoderStream, Headers, Request, Response, AbortController });
window.fetch = (address, options) => fetch(address, options);
window.eval(readFileSync(new URL("page.js", import.meta.url), "utf8"));

const until = async (what, holds) => {
  for (let tries = 0; tries < 400; tries += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  console.error(`${what}: ${window.document.body.innerHTML}`);
  process.exit(1);
};

await until("no page", () => window.document.querySelector("input"));
const input = window.document.querySelector("input");
Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, "value").set.call(input, said);
input.dispatchEvent(new window.Event("input", { bubbles: true }));
window.document.querySelector("form").dispatchEvent(new window.Event("submit", { bubbles: true, cancelable: true }));
const answer = () => window.document.querySelector("[data-role=assistant]")?.textContent ?? "";
await until("no answer", () => answer().includes(wanted));
await until("not ready", () => window.document.querySelector("main").dataset.status === "ready");
console.log(JSON.stringify({ answer: answer() }));
process.exit(0);
