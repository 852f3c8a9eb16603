/** An object of the control interface; `authctl rpc rpc.discover` describes its members. */
export interface Push {
  id: string;
  title: string;
  [member: string]: unknown;
}

/** An error that the daemon returned. */
export class Refused extends Error {
  readonly code: number;
  readonly reason?: string;
  readonly data: Record<string, unknown>;
}

/**
 * Connects to the daemon: at `path`, else at $MFAD_SOCKET, else at the system socket, else at the user's own.
 *
 * `timeout` is the limit of each call in seconds (default: 60).
 */
export function connect(options?: { path?: string; timeout?: number }): Promise<Connection>;

/** A connection, which keeps the process running until `close`. */
export class Connection {
  private constructor();
  timeout: number;
  /** Calls a method and returns its result. */
  call(method: string, params?: object): Promise<any>;
  /** Returns a pending push, or waits for the next one, at most `timeout` seconds. */
  nextPush(timeout?: number): Promise<Push>;
  /** Approves a push, with the number that the sign-on page shows if it shows one. */
  approve(push: Push, number?: number): Promise<unknown>;
  /** Returns the current passcode of an account, by default of the only one. */
  passcode(account?: string): Promise<string>;
  close(): void;
}
