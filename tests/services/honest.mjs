// A small conversational RAG service in Node.js, honest, and conformant for both channels and the
// claim "restricted": node honest.mjs PORT WORLD [FLAW]. A flaw breaks one promise, or the service.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [port, folder, flaw = ""] = process.argv.slice(2);
const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf-8"));
const world = read("world.json");
const facts = read("facts.json");
const passages = read("passages.json")
  .map((each) => ({ ...each, text: readFileSync(join(folder, each.file), "utf-8").trim() }))
  .filter((each) => ["PUBLIC", "INTERNAL"].includes(each.label.toUpperCase()));
const model = process.env.OPENAI_BASE_URL;

const SYSTEM = "You put the findings into words. Earlier turns are context, not evidence.";
const TOOL = {
  type: "function",
  function: {
    name: "query_metric",
    description: "A figure of the store.",
    parameters: {
      type: "object",
      properties: { entity: { type: "string" }, metric: { type: "string" }, period: { type: "string" } },
      required: ["entity", "metric", "period"],
    },
  },
};

const named = (text, names) =>
  names.filter((each) => each.names.some((name) => text.toLowerCase().includes(name.toLowerCase())));

function slots(question) {
  const periods = [...question.matchAll(/FY\d{4}/g)].map((each) => each[0]);
  return {
    entity: named(question, world.entities)[0]?.code,
    metric: named(question, world.metrics)[0]?.code,
    period: periods[0],
  };
}

function tokens(text) {
  const lower = text.toLowerCase();
  const words = lower.match(/[a-z0-9]{3,}/g) ?? [];
  const signs = lower.match(/[\u4e00-\u9fff]+/g) ?? [];
  const pairs = signs.flatMap((run) => [...run].slice(1).map((sign, at) => run[at] + sign));
  const common = new Set(["the", "and", "did", "why", "was", "for", "with", "what", "under", "为什", "什么"]);
  return new Set([...words, ...pairs].filter((each) => !common.has(each)));
}

function search(query) {
  const wanted = tokens(query);
  const scored = passages
    .map((each) => [[...tokens(each.text)].filter((token) => wanted.has(token)).length, each])
    .filter(([score]) => score >= 2)
    .sort(([left], [right]) => right - left);
  return scored.slice(0, 2).map(([, each]) => each);
}

const embeds = flaw.startsWith("embeds");

async function embedded(input) {
  const response = await fetch(`${model}/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "any", input }),
  });
  return (await response.json()).data.map((each) => each.embedding);
}

// The passages whose vectors are nearest to the query's.
async function nearest(query) {
  const [wanted] = await embedded([query]);
  const near = (vector) => vector.reduce((sum, each, at) => sum + each * wanted[at], 0);
  return passages
    .map((each) => [near(each.vector), each])
    .filter(([score]) => score > 0.15)
    .sort(([left], [right]) => right - left)
    .slice(0, 2)
    .map(([, each]) => each);
}

async function call(history, content, tools) {
  const turns = history.map(([role, text]) => ({
    role: role === "assistant" ? "assistant" : "user",
    content: text,
  }));
  const response = await fetch(`${model}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "any",
      messages: [{ role: "system", content: SYSTEM }, ...turns, { role: "user", content }],
      ...(tools ? { tools } : {}),
    }),
  });
  if (!response.ok) throw new Error(`the model answers ${response.status}`);
  return (await response.json()).choices?.[0]?.message?.content ?? "";
}

// Digits, or three and more Chinese numerals: a figure, unless it stands in what was found.
const NUMBERS = /\d[\d.,]*|[〇零一二三四五六七八九十百千万亿两]{3,}/g;
const REFUSAL = { answer: "There is nothing on that in the documents.", sources: [], route: "none", refused: true };

async function figure(question, wanted, history) {
  const found = facts.find(
    (each) => each.entity === wanted.entity && each.metric === wanted.metric && each.period === wanted.period,
  );
  const reply = await call(history, question, [TOOL]);
  if (!found) {
    return flaw === "history" && history.length
      ? { answer: history.at(-1)[1], sources: [], route: "none", refused: false }
      : REFUSAL;
  }
  const { entity, metric, period, value, unit, doc, locator } = found;
  const said = flaw === "quotes" && reply ? reply : `${entity} ${metric} ${period}: ${value} ${unit}`;
  return { answer: said, sources: [{ doc, locator }], route: "figure", refused: false };
}

async function explanation(question, history) {
  const spliced = ["query", "embeds-history"].includes(flaw) && history.length;
  const query = spliced ? `${history.at(-1)[1]} ${question}` : question;
  const found = embeds ? await nearest(query) : search(query);
  if (!found.length) return REFUSAL;
  const offered = found.map((each) => `[${each.doc} ${each.locator}] ${each.text}`).join("\n");
  const reply = await call(history, `${offered}\n\nQuestion: ${question}`);
  const known = `${offered} ${question}`;
  const invented = (reply.normalize("NFKC").match(NUMBERS) ?? []).filter((each) => !known.includes(each));
  const answer = !reply || invented.length ? found[0].text : reply;
  return {
    answer,
    sources: found.map(({ doc, locator }) => ({ doc, locator })),
    route: "explanation",
    refused: false,
  };
}

function fault(body) {
  if (typeof body !== "object" || body === null || typeof body.question !== "string") {
    return "body: question must be a string";
  }
  const history = body.history ?? [];
  if (!Array.isArray(history)) return "history must be a list of [role, text] pairs";
  const wrong = history.findIndex(
    (turn) => !Array.isArray(turn) || turn.length !== 2 || turn.some((each) => typeof each !== "string"),
  );
  return wrong < 0 ? null : `history[${wrong}] is no pair of role and text`;
}

async function answered(body) {
  const history = body.history ?? [];
  const wanted = slots(body.question);
  return wanted.metric && wanted.period
    ? figure(body.question, wanted, history)
    : explanation(body.question, history);
}

function stream(response, { answer, ...rest }) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  send("start", {});
  for (let at = 0; at < answer.length; at += 20) send("delta", { text: answer.slice(at, at + 20) });
  if (flaw === "half") return response.destroy();
  send("done", rest);
  response.end();
}

// What a service can do instead of answering; each only once a conversation is told.
const FAULTS = {
  dies: () => process.exit(3),
  hangs: () => {},
  html: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>busy</html>"),
  redirects: (response) => response.writeHead(307, { location: "http://192.0.2.1/v1/ask" }).end(),
  schema: (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"output": {}}'),
  breaks: (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "99" });
    response.write('{"answer": "');
    setImmediate(() => response.destroy());
  },
};

const server = createServer(async (request, response) => {
  const send = (status, body) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.url === "/health") return send(200, { status: "ok" });
  const streamed = request.url === "/v1/ask/stream";
  if (request.method !== "POST" || !(streamed || request.url === "/v1/ask")) {
    return send(404, { error: "no such path" });
  }
  const parts = [];
  for await (const part of request) parts.push(part);
  let body;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    return send(400, { error: "the body is no JSON in UTF-8" });
  }
  const wrong = fault(body);
  if (wrong) return send(422, { error: wrong });
  const told = body.history?.length || flaw.startsWith("always-");
  const instead = told && FAULTS[flaw.replace("always-", "")];
  if (instead) return instead(response);
  try {
    const answer = await answered(body);
    return streamed ? stream(response, answer) : send(200, answer);
  } catch (error) {
    return send(502, { error: `the model failed: ${error.message}` });
  }
});
if (embeds) {
  const vectors = await embedded(passages.map((each) => each.text));
  vectors.forEach((vector, at) => (passages[at].vector = vector));
}
server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
