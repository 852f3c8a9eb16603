// Signs on and pairs, approves the next push, or shows a passcode. An example of a client.
// usage: node authenticator.js sign-on USERNAME | approve | passcode; the password is the first line of standard input
import { createInterface } from "node:readline";
import { connect } from "./mfad.js";

async function signOn(mfad, username) {
  let step = await mfad.call("login.start", { method: "signon" });
  if (step.node === "continue") {
    const { value: password } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
    step = await mfad.call("login.next", { login: step.login, values: { username, password } });
  }
  if (step.node !== "success") throw new Error(step.message ?? step.title ?? step.node);
  if (step.pairing) await mfad.call("pairing.approve", { pairing: step.pairing.id });
  return `signed on as ${step.user.username}`;
}

async function approve(mfad) {
  // For tests only: approves every push, without asking the user.
  const push = await mfad.nextPush(Infinity);
  await mfad.approve(push);
  return `approved: ${push.title}`;
}

const passcode = (mfad) => mfad.passcode();

const [command, ...rest] = process.argv.slice(2);
const verb = { "sign-on": signOn, approve, passcode }[command];
try {
  if (!verb || rest.length !== verb.length - 1) {
    throw new Error("usage: authenticator.js sign-on USERNAME | approve | passcode");
  }
  console.log(await verb(await connect(), ...rest));
  process.exit();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
