// A client of mfad's control interface, JSON-RPC 2.0 on a Unix socket. Requires only Node 18. mfad.d.ts describes it.
import { once } from "node:events";
import { accessSync, constants, lstatSync, realpathSync } from "node:fs";
import { connect as dial } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

const own = process.geteuid();

export class Refused extends Error {
  constructor({ code, message, data = {} }) {
    super(message);
    Object.assign(this, { name: "Refused", code, data, reason: data.reason });
  }
}

export async function connect({ path, timeout = 60 } = {}) {
  const socket = dial(socketPath(path));
  await once(socket, "connect");
  return new Connection(socket, timeout);
}

export class Connection {
  #socket;
  #ended;
  #calls = 0;
  #replies = new Map();
  #listeners = new Set();

  constructor(socket, timeout) {
    this.#socket = socket;
    this.timeout = timeout;
    this.#ended = new Promise((_, reject) => {
      socket.on("error", reject).on("close", () => reject(new Error("the connection to the daemon has ended")));
    });
    // Each call and each wait reports the end.
    this.#ended.catch(() => {});
    createInterface({ input: socket }).on("line", (line) => {
      try {
        this.#take(JSON.parse(line));
      } catch (error) {
        socket.destroy(error);
      }
    });
  }

  #take({ id, result, error, params }) {
    if (params) for (const listener of [...this.#listeners]) listener(params);
    // An error without an id concerns the whole connection.
    else if (id === null) throw new Refused(error);
    else if (error) this.#replies.get(id)?.reject(new Refused(error));
    else this.#replies.get(id)?.resolve(result);
    this.#replies.delete(id);
  }

  call(method, params = {}) {
    const id = ++this.#calls;
    const reply = new Promise((resolve, reject) => this.#replies.set(id, { resolve, reject }));
    this.#socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    return this.#within(this.timeout, reply, "the daemon did not answer in time");
  }

  async nextPush(timeout = this.timeout) {
    let take;
    const event = new Promise((resolve) => {
      take = ({ payload }) => payload.state === "pending" && resolve(payload);
    });
    const { subscription } = await this.call("event.subscribe", { topics: ["notification"] });
    const listener = (params) => params.subscription === subscription && take(params);
    this.#listeners.add(listener);
    try {
      const { notifications } = await this.call("notification.list", { state: "pending" });
      return notifications[0] ?? (await this.#within(timeout, event, "no push arrived in time"));
    } finally {
      this.#listeners.delete(listener);
      this.call("event.unsubscribe", { subscription }).catch(() => {});
    }
  }

  approve(push, number) {
    const given = number === undefined ? {} : { number };
    return this.call("notification.approve", { notification: push.id, ...given });
  }

  async passcode(account) {
    return (await this.call("passcode.get", account ? { account } : {})).passcode;
  }

  close() {
    this.#socket.end();
  }

  /** Rejects after this number of seconds, or if the connection ends. */
  async #within(seconds, promise, message) {
    let timer;
    const late = new Promise((_, reject) => {
      if (seconds !== Infinity) timer = setTimeout(() => reject(new Error(message)), seconds * 1000);
    });
    try {
      return await Promise.race([promise, late, this.#ended]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function socketPath(given) {
  const runtime = process.env.XDG_RUNTIME_DIR || `/run/user/${own}`;
  const usual = ["/run/mfad/mfad.sock", `${runtime}/mfad/mfad.sock`];
  const places = [given || process.env.MFAD_SOCKET || usual].flat();
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
