internal import JSON

private let providers = ["POLL", "FCM", "APNS", "HMS", "WEBPUSH", "UNIFIEDPUSH"]

extension Command {
  static let pushToken: Command = Command(
    "push-token",
    "PROVIDER [-] [--environment NAME]",
    words: 1...2,
    options: [
      Option("--environment", value: "NAME", "which of Apple's services: production (the default) or sandbox")
    ],
    summary: "choose by which provider pushes come to this machine",
    details: """
      PROVIDER is POLL, with which the daemon fetches pushes itself and which needs no token, or FCM, APNS, HMS,
      WEBPUSH or UNIFIEDPUSH. Their token is asked for on the terminal, or is one line of standard input; it is
      never given on the command line, where others could see it. What the provider brings is handed in with
      "authctl notifications process".
      """
  ) { (session) throws(Failure) in
    let words = session.arguments.words
    guard words.count == 1 || words[1] == "-" else {
      throw Command.pushToken.misused("the token is given on the terminal or on standard input")
    }
    let provider = words[0].uppercased()
    // A secret is not asked for where it is certain that nobody wants it.
    guard providers.contains(provider) else {
      throw Command.pushToken.misused("there is no provider \"\(words[0])\"")
    }
    var params: JSONObject = ["provider": .string(provider)]
    params["environment"] = session.arguments["--environment"].map { .string($0) }
    if provider != "POLL" {
      _ = try session.daemon()
      guard let token = try session.ask("token", hidden: true), !token.isEmpty else {
        throw .local(.cancelled, "no token was given")
      }
      params["token"] = .string(token)
    }
    try session.showPushChannel(try session.call("device.setPushToken", params))
  }
}
