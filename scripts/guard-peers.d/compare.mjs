// Sends the same commands to hooks and counts what each of them stops. It runs hooks, and never a command.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [data, premath, peer, step] = process.argv.slice(2);
const every = Math.max(1, Number(step));
const read = (name) =>
  readFileSync(join(data, `${name}.jsonl`), "utf8").trim().split("\n").map((line) => JSON.parse(line));

const hooks = [
  { name: "premath guard", command: [premath, "guard", "--format", "claude-code"], env: {} },
  { name: "cc-safety-net, standard", command: [process.execPath, peer, "hook", "--claude-code"], env: {} },
  {
    name: "cc-safety-net, paranoid",
    command: [process.execPath, peer, "hook", "--claude-code"],
    env: { CC_SAFETY_NET_LEVEL: "paranoid", CC_SAFETY_NET_STRICT: "1", CC_SAFETY_NET_PARANOID: "1" },
  },
];

const single = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const bytes = (text) => [...Buffer.from(text, "utf8")];
const python = (text) => JSON.stringify(text);
const disguises = [
  (c) => `sh -c ${single(c)}`,
  (c) => `env A=1 nohup timeout 60 nice -n 5 bash -lc ${single(c)}`,
  (c) => `c=${single(c)}; eval "$c"`,
  (c) => `echo ${Buffer.from(c).toString("base64")} | base64 -d | bash`,
  (c) => `echo ${Buffer.from(c).toString("hex")} | xxd -r -p | sh`,
  (c) => `eval "$(printf '${bytes(c).map((b) => `\\${b.toString(8).padStart(3, "0")}`).join("")}')"`,
  (c) => `bash -c $'${bytes(c).map((b) => `\\x${b.toString(16).padStart(2, "0")}`).join("")}'`,
  (c) => `bash <<'END_OF_TEXT'\n${c}\nEND_OF_TEXT`,
  (c) => `zsh <<< ${single(c)}`,
  (c) => `build() {\n${c}\n}\nbuild`,
  (c) => `python3 -c ${single(`import os; os.system(${python(c)})`)}`,
  (c) => `source <(printf '%s\\n' ${single(c)})`,
];

/** What Claude Code makes of one hook's answer: `allow`, `ask` or `deny`. */
function decide(hook, command) {
  const event = JSON.stringify({
    session_id: "peers", transcript_path: "/dev/null", cwd: process.cwd(), permission_mode: "default",
    hook_event_name: "PreToolUse", tool_use_id: "t", tool_name: "Bash", tool_input: { command },
  });
  return new Promise((resolve, reject) => {
    const child = spawn(hook.command[0], hook.command.slice(1), { env: { ...process.env, ...hook.env } });
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 2) return resolve("deny");
      if (code !== 0) return reject(new Error(`${hook.name} ended with ${code} for: ${command}`));
      if (out.trim() === "") return resolve("allow");
      const answer = JSON.parse(out);
      resolve(answer.hookSpecificOutput?.permissionDecision ?? (answer.decision === "block" ? "deny" : "allow"));
    });
    child.stdin.end(event);
  });
}

const rows = new Map();
const times = hooks.map(() => []);
async function count(row, command) {
  const counts = rows.get(row) ?? { all: 0, stopped: hooks.map(() => 0) };
  rows.set(row, counts);
  counts.all += 1;
  for (const [index, hook] of hooks.entries()) {
    const start = performance.now();
    const decision = await decide(hook, command);
    times[index].push(performance.now() - start);
    if (decision !== "allow") counts.stopped[index] += 1;
  }
}

const dangerous = ["tuned", "held_out", "independent"].flatMap((name) => read(`dangerous_${name}`));
const ordinary = ["tuned", "held_out", "independent"].flatMap((name) => read(`ordinary_${name}`));
for (const [index, row] of dangerous.entries()) {
  if (index % every !== 0) continue;
  await count(`dangerous, ${row.class}`, row.command);
  await count("dangerous, each in one of 12 disguises", disguises[(index / every) % disguises.length](row.command));
}
for (const [index, row] of ordinary.entries()) {
  if (index % every === 0) await count("ordinary", row.command);
}

const percent = (part, all) => `${part} (${((100 * part) / all).toFixed(1)} %)`;
console.log(`| denied or asked about | commands | ${hooks.map((hook) => hook.name).join(" | ")} |`);
console.log(`|---|---:|${hooks.map(() => "---:|").join("")}`);
for (const [name, counts] of [...rows].sort()) {
  console.log(`| ${name} | ${counts.all} | ${counts.stopped.map((part) => percent(part, counts.all)).join(" | ")} |`);
}
const median = (all) => all.sort((left, right) => left - right)[Math.floor(all.length / 2)].toFixed(0);
console.log(`| median time of one hook, ms | | ${times.map(median).join(" | ")} |`);
