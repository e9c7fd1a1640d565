// Reads a stream from standard input with the package's own validator and reader, and prints the message it makes.
import { readUIMessageStream, uiMessageChunkSchema } from "ai";

let text = "";
for await (const piece of process.stdin) text += piece;
const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: ")).map((frame) => frame.slice(6));
if (frames.at(-1) !== "[DONE]") throw new Error(`it does not end: ${frames.at(-1)}`);
const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame));
const schema = typeof uiMessageChunkSchema === "function" ? uiMessageChunkSchema() : uiMessageChunkSchema;
for (const chunk of chunks) {
  const checked = await schema.validate(chunk);
  if (!checked.success) throw new Error(`${JSON.stringify(chunk)}: ${checked.error}`);
}
let message = process.argv[2] ? JSON.parse(process.argv[2]) : undefined;
const errors = [];
const stream = ReadableStream.from(chunks);
for await (const next of readUIMessageStream({ message, stream, onError: (error) => errors.push(String(error)) })) message = next;
console.log(JSON.stringify({ message, errors, count: chunks.length }));
