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
        "register this machine at PingOne as an authenticator app that shows passcodes"
      ),
      Option("--yes", "pair without asking"),
    ],
    summary: "sign on, and pair this machine if the server offers a pairing",
    details: """
      On a terminal, authctl asks for each field. Enter takes the value in brackets: the page's default or
      your earlier answer in this sign-on, never a secret or a code. Other options of a page, such as
      registration or a forgotten password, are listed with numbers: type :1 instead of an answer for the
      first option, and ::1 for the answer ":1". Type :otp for a passcode that this machine makes for the same
      issuer, or :otp ACCOUNT if there are several accounts; authctl shows the account and the receiver before
      it sends the passcode. While a step waits for a phone or a browser, you can type :1 for another option,
      or the address at which the browser ended. If this machine can approve the sign-on, authctl shows the
      request first and asks for its number, if it requires one. Ctrl-C ends the sign-on. A request that was
      already sent stays pending until it is denied or expires, but signs no user on.

      On a terminal, --browser opens the page with the first program of BROWSER that can be started, else on a
      desktop with xdg-open(1). It opens only https addresses, and never as root. Without a browser it only
      shows the address.

      If standard input is not a terminal, each of its lines answers one step for which --set and --answers
      are not enough: {"values":{"username":"ann","password":"…"},"action":"submit"}. "values" has the answers
      by key; "action" is required only if the step has several. {"uri":"…"} gives the address at which a
      browser ended. While a step waits, authctl uses a line with an address, or with keys and an action that
      this step has; it keeps any other line for a later step. With --json, authctl prints each step as a line
      before it reads the answer, and at the end the result of the pairing, or the last step if nothing was
      paired. Without --yes the pairing stays pending.

      authctl never takes passwords from the command line or the environment. Answer a choice with its number,
      label or value, several with commas between; write a phone number as "GB 7700 900123".

      --add-passcode works with an ordinary PingOne tenant, if its MFA policy enables authenticator apps and
      its application may use the requested scopes. The next --add-passcode or "authctl devices" completes or
      removes a registration that was interrupted.
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
        try output.result(reply) { _ in ["pairing \(id) is pending: \(target)"] }
        return output.hint("\"authctl pairings approve \(id)\" pairs this machine")
      }
      terminal.show(["signed on as \(Describe.user(try reply.value.user))"])
      guard try terminal.confirm("pair this machine with \(target)?") else {
        throw .local(
          .cancelled,
          "not paired: pairing \(id) is pending",
          hint: "\"authctl pairings approve \(id)\" pairs, \"authctl pairings ignore \(id)\" drops it"
        )
      }
    }
    try verified { (claim) throws(Failure) in try pair(PairingApprove(pairing: id, presence: claim)) }
  }
}
