internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Usage

extension Command {
  static let login = Command(
    "login",
    "[--signon|--davinci|--journey NAME|--browser|--device] [OPTION]…",
    options: Option.signOn + [
      Option(
        "--add-passcode",
        "make this machine an authenticator app of yours at PingOne, whose passcodes it shows"
      ),
      Option("--yes", "pair without asking"),
    ],
    summary: "sign on, and pair this machine if the account asks for it",
    details: """
      Each field is asked for on the terminal; Enter takes what stands in brackets: what the page says, or what you
      answered before in this sign-on, which is never a secret or a code. Where a page offers other ways,
      as to register or a forgotten password, they are listed with numbers: :1 instead of any answer goes the first
      way, and ::1 is the answer ":1". Where a passcode is wanted that this machine makes for this very issuer, :otp
      is it, or :otp ACCOUNT where there are several; before it leaves, its account and who gets it are shown. While a
      step waits, for a telephone or a browser, another way is :1 too, and the address that the browser ended at can be
      typed. Where this machine can approve it, the request itself is shown first, and a number that it wants is
      typed. Ctrl-C ends the sign-on. A request that was sent, here or elsewhere, waits until it is denied or its time
      is over, and signs nobody on any more.

      On a terminal --browser opens the page by the first program of BROWSER that can be started, else on a desktop by
      xdg-open(1): an address of https only, and never for root. Without a browser the address is shown alone.

      If standard input is no terminal, each of its lines answers one step that wants more than --set and --answers
      give: {"values":{"username":"ann","password":"…"},"action":"submit"}, where values is what is asked by key and
      action is needed only where there are several; or {"uri":"…"} with the address that a browser ended at. While
      a step waits a line is read if it is such an address or if it names what only this step has. With --json each
      step is printed as a line before its answer is read, and at the end the result of the pairing, or the last
      step if nothing was paired. Without --yes the pairing waits.

      Passwords are never taken from the command line or the environment. A choice takes a number of the list, a
      label or a value; several go with commas between; a telephone number is "GB 7700 900123".

      --add-passcode needs no preparation of this service: an ordinary tenant takes this machine as an authenticator
      app, if its MFA policy has them enabled and its application may use the scopes that are asked for. What was
      begun and could not be finished, the next --add-passcode or "authctl devices" finishes or removes.
      """,
    examples: [
      "authctl login --add-passcode",
      "authctl login --journey Login --username ann",
      "authctl login --answers ~/.config/inputs.json --yes",
    ]
  ) { (session) throws(Failure) in
    let orders = session.arguments.has("--add-passcode") ? DeviceOrders(add: [.totp]) : nil
    let reply = try session.signOn(for: orders)
    if orders != nil { return try session.tell(reply) }
    guard let pairing = try reply.value.pairing ?? nil else {
      return try session.output.result(reply) {
        ["signed on as \(Describe.user($0.user)): nothing to pair"]
      }
    }
    try session.decide(pairing, after: reply)
  }
}

extension Session {
  fileprivate func decide(_ pairing: PairingRequest, after reply: Reply<Node>) throws(Failure) {
    let id = pairing.id
    let target = PairingText.target(pairing)
    if !arguments.has("--yes") {
      guard let terminal else {
        try output.result(reply) { _ in ["pairing \(id) waits: \(target)"] }
        return output.hint("\"authctl pairings approve \(id)\" pairs this machine")
      }
      terminal.show(["signed on as \(Describe.user(try reply.value.user))"])
      guard try terminal.confirm("pair this machine with \(target)?") else {
        throw .local(
          .cancelled,
          "not paired: pairing \(id) waits",
          hint: "\"authctl pairings approve \(id)\" pairs, \"authctl pairings ignore \(id)\" drops it"
        )
      }
    }
    try verified { (claim) throws(Failure) in try pair(PairingApprove(pairing: id, presence: claim)) }
  }
}
