// Signs on and pairs, approves the next push, or shows a passcode. Requires only Node 18.
// usage: node authenticator.mjs sign-on USERNAME | approve | passcode; the password is the first line of standard input
import { accessSync, constants, lstatSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

const own = process.geteuid();

function socketPath() {
  const runtime = process.env.XDG_RUNTIME_DIR || `/run/user/${own}`;
  const places = [process.env.MFAD_SOCKET || ["/run/mfad/mfad.sock", `${runtime}/mfad/mfad.sock`]].flat();
  for (const place of places) {
    let path;
    try {
      path = realpathSync(place);
      accessSync(path, constants.W_OK);
    } catch {
      continue;
    }
    makeSure(path);
    return path;
  }
  throw new Error(`cannot reach the daemon at ${places.join(" or ")}`);
}

/** Verifies that no other user could have placed the socket. Node cannot read SO_PEERCRED. */
function makeSure(path) {
  const trusted = [0, own];
  // The owner of this directory, if it exists, is the service's user.
  const owner = lstatSync("/run/mfad/owner", { throwIfNoEntry: false });
  if (owner) trusted.push(owner.uid);
  let directory = path;
  do {
    directory = dirname(directory);
    const { uid, mode } = lstatSync(directory);
    const sticky = directory !== dirname(path) && mode & 0o1000;
    if (!trusted.includes(uid) || (mode & 0o022 && !sticky)) throw new Error(`others can write in ${directory}`);
  } while (directory !== "/");
}

class Daemon {
  #socket = connect(socketPath());
  #replies = new Map();
  onEvent = () => {};

  constructor() {
    createInterface({ input: this.#socket }).on("line", (line) => {
      const { id, result, error, params } = JSON.parse(line);
      if (params) this.onEvent(params);
      else if (id === null) this.#socket.destroy(new Error(error.message));
      else if (error) this.#replies.get(id).reject(new Error(error.message));
      else this.#replies.get(id).resolve(result);
    });
    this.#socket.on("error", (error) => fail(error.message)).on("end", () => fail("the daemon closed the connection"));
  }

  call(method, params = {}) {
    const id = this.#replies.size + 1;
    this.#socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    return new Promise((resolve, reject) => this.#replies.set(id, { resolve, reject }));
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

async function signOn(daemon, username) {
  let step = await daemon.call("login.start", { method: "signon" });
  if (step.node === "continue") {
    const { value: password } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
    step = await daemon.call("login.next", { login: step.login, values: { username, password } });
  }
  if (step.node !== "success") fail(step.message ?? step.title ?? step.node);
  if (step.pairing) await daemon.call("pairing.approve", { pairing: step.pairing.id });
  return `signed on as ${step.user.username}`;
}

async function approve(daemon) {
  // For tests only: approves every push, without asking the user.
  const event = new Promise((resolve) => {
    daemon.onEvent = ({ payload }) => payload.state === "pending" && resolve(payload);
  });
  await daemon.call("event.subscribe", { topics: ["notification"] });
  const { notifications } = await daemon.call("notification.list", { state: "pending" });
  const push = notifications[0] ?? (await event);
  await daemon.call("notification.approve", { notification: push.id });
  return `approved: ${push.title}`;
}

const passcode = async (daemon) => (await daemon.call("passcode.get")).passcode;

const [command, ...rest] = process.argv.slice(2);
const verb = { "sign-on": signOn, approve, passcode }[command];
if (!verb || rest.length !== verb.length - 1) fail("usage: authenticator.mjs sign-on USERNAME | approve | passcode");
try {
  console.log(await verb(new Daemon(), ...rest));
  process.exit();
} catch (error) {
  fail(error.message);
}
