// One conversation of two turns, the first of which calls a tool, through one client of one provider.
// Prints one JSON object: what the client made of it. Usage: node turn.mjs messages|responses|chat ADDRESS

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const question = "What is the weather in Oslo?";
const description = "The weather of a city";

async function messages(baseURL) {
  const client = new Anthropic({ baseURL, apiKey: "not-a-key", maxRetries: 0 });
  const tools = [{ name: "weather", description, input_schema: schema }];
  const ask = async (history) => {
    let deltas = 0;
    const stream = client.messages.stream({ model: "any", max_tokens: 100, tools, messages: history });
    stream.on("streamEvent", () => (deltas += 1));
    return { message: await stream.finalMessage(), deltas };
  };
  const history = [{ role: "user", content: question }];
  const first = await ask(history);
  const call = first.message.content.find((block) => block.type === "tool_use");
  history.push({ role: "assistant", content: first.message.content });
  history.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "rain" }] });
  const second = await ask(history);
  return {
    tool: call.name,
    arguments: call.input,
    stop: first.message.stop_reason,
    events: first.deltas,
    text: second.message.content.map((block) => block.text ?? "").join(""),
    outputTokens: second.message.usage.output_tokens,
  };
}

async function responses(baseURL) {
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: "not-a-key", maxRetries: 0 });
  const tools = [{ type: "function", name: "weather", description, parameters: schema, strict: true }];
  const ask = async (input) => {
    let events = 0;
    const stream = client.responses.stream({ model: "any", input, tools });
    stream.on("event", () => (events += 1));
    return { response: await stream.finalResponse(), events };
  };
  const input = [{ role: "user", content: question }];
  const first = await ask(input);
  const call = first.response.output.find((item) => item.type === "function_call");
  input.push({ type: "function_call", call_id: call.call_id, name: call.name, arguments: call.arguments });
  input.push({ type: "function_call_output", call_id: call.call_id, output: "rain" });
  const second = await ask(input);
  return {
    tool: call.name,
    arguments: JSON.parse(call.arguments),
    stop: first.response.status,
    events: first.events,
    text: second.response.output_text,
    outputTokens: second.response.usage.output_tokens,
  };
}

async function chat(baseURL) {
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: "not-a-key", maxRetries: 0 });
  const tools = [{ type: "function", function: { name: "weather", description, parameters: schema } }];
  const ask = async (history) => {
    let chunks = 0;
    const stream = client.chat.completions.stream({
      model: "any",
      messages: history,
      tools,
      stream_options: { include_usage: true },
    });
    stream.on("chunk", () => (chunks += 1));
    return { completion: await stream.finalChatCompletion(), chunks };
  };
  const history = [{ role: "user", content: question }];
  const first = await ask(history);
  const { message, finish_reason } = first.completion.choices[0];
  const call = message.tool_calls[0];
  history.push({ role: "assistant", content: null, tool_calls: [call] });
  history.push({ role: "tool", tool_call_id: call.id, content: "rain" });
  const second = await ask(history);
  return {
    tool: call.function.name,
    arguments: JSON.parse(call.function.arguments),
    stop: finish_reason,
    events: first.chunks,
    text: second.completion.choices[0].message.content,
    outputTokens: second.completion.usage.completion_tokens,
  };
}

const [protocol, address] = process.argv.slice(2);
const told = await { messages, responses, chat }[protocol](address);
console.log(JSON.stringify(told));
