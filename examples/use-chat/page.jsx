// A chat with `premath serve`: window.PREMATH says where it is and shows the token.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";

const { url, token, conversation } = window.PREMATH;
const headers = { Authorization: `Bearer ${token}` };
const transport = new DefaultChatTransport({ api: `${url}/api/chat`, headers });
// The run is stopped, and its stream ends by itself.
const stop = () => fetch(`${url}/api/chat/${conversation}/stop`, { method: "POST", headers });

function Part({ part }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "dynamic-tool") return <code>{`${part.toolName}: ${part.state}`}</code>;
  if (part.type === "data-confirmation") return <em>{`${part.data.tool} waits: ${part.data.state}`}</em>;
  return null;
}

function Chat() {
  const { messages, sendMessage, status, error } = useChat({ id: conversation, transport });
  const [text, setText] = useState("");
  const send = (event) => (event.preventDefault(), sendMessage({ text }), setText(""));
  return (
    <main data-status={status}>
      {messages.map(({ id, role, parts }) => (
        <article key={id} data-role={role}>{parts.map((part, at) => <Part key={at} part={part} />)}</article>
      ))}
      {error && <strong>{error.message}</strong>}
      <form onSubmit={send}><input value={text} onChange={(event) => setText(event.target.value)} /><button>Say</button></form>
      <button onClick={stop}>Stop</button>
    </main>
  );
}

createRoot(document.getElementById("root")).render(<Chat />);
