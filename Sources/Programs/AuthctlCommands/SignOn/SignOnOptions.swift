internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Text
internal import Usage

extension Option {
  /// The options of all commands that sign on.
  static let signOn = [
    Option("--signon", "sign on with the pages of PingOne, asked here (default)"),
    Option("--davinci", "sign on with a DaVinci flow"),
    Option("--journey", takes: "NAME", "sign on with the journey NAME of PingAM"),
    Option("--browser", "sign on with a browser, opened here if possible (BROWSER, else xdg-open)"),
    Option("--device", "sign on with a browser on another device"),
    Option("--issuer", takes: "URL", "sign on at the issuer URL (default: the first configured one)"),
    Option("--locale", takes: "TAG", "request pages in language TAG, such as en-GB (default: your locale)"),
    Option("--acr", takes: "ACR", "request the flow or policy ACR (acr_values)"),
    Option("--force-auth", "sign on again or as another user, even if the server has a session"),
    Option("--no-session", "keep no session by which the server recognizes you the next time"),
    Option("--username", takes: "NAME", "sign on as NAME, even if the server has a session of another user"),
    Option(
      "--set",
      takes: "KEY=VALUE",
      repeats: true,
      "answer the field with key or label KEY, which must not be a secret"
    ),
    Option(
      "--answers",
      takes: "FILE",
      "read answers by key or label from the private FILE: {…} or {\"values\":{…}}"
    ),
  ]
}

extension Session {
  /// Signs on according to the options, and carries out the orders about the user's devices.
  func signOn(for orders: DeviceOrders? = nil) throws(Failure) -> Reply<Node> {
    // Connect first: without a daemon no sign-on takes place, and the note would be wrong.
    _ = try daemon()
    // A journey requests no scopes; the server decides about the user's rights.
    if let orders, arguments["--journey"] == nil, !output.asJSON {
      output.note("the sign-on requests the right to manage your devices:")
      output.note("  \(orders.scopes.joined(separator: " "))")
    }
    return try SignOnDialogue(self, try signOnAnswers).run(try start(orders))
  }

  private func start(_ orders: DeviceOrders?) throws(Failure) -> LoginStart {
    var parameters = JSONObject()
    parameters["acr_values"] = arguments["--acr"].map { .string($0) }
    parameters["login_hint"] = arguments["--username"].map { .string($0) }
    return LoginStart(
      method: try one(of: "--browser", "--davinci", "--device", "--journey", "--signon")
        .flatMap { Self.methods[$0] } ?? .signon,
      issuer: arguments["--issuer"],
      journey: arguments["--journey"],
      forcesAuthentication: arguments.has("--force-auth"),
      wantsNoSession: arguments.has("--no-session"),
      locale: arguments["--locale"] ?? UserLocale.language(),
      parameters: parameters,
      devices: orders
    )
  }

  private static let methods: [String: LoginMethod] = [
    "--browser": .redirect, "--davinci": .davinci, "--device": .device, "--journey": .journey,
  ]

  private var signOnAnswers: GivenAnswers {
    get throws(Failure) {
      var texts: [String: String] = [:]
      for text in arguments.all("--set") {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, texts[String(parts[0])] == nil else {
          throw misused("--set takes KEY=VALUE, each key once, not \"\(parts[0])\"")
        }
        texts[String(parts[0])] = String(parts[1])
      }
      let path = arguments["--answers"]
      let values: JSONObject = if let path { try AnswerFile.values(at: path) } else { [:] }
      return GivenAnswers(texts: texts, values: values, username: arguments["--username"])
    }
  }
}

/// The language and the character encoding of the user's environment.
enum UserLocale {
  /// Returns the language of messages as a BCP 47 tag, such as `en-GB`; `nil` if none is set.
  static func language(_ environment: (String) -> String? = ProcessEnvironment.value) -> String? {
    let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first
    // An example of a name is `de_DE.UTF-8@euro`.
    guard let name, let base = name.split(whereSeparator: { $0 == "." || $0 == "@" }).first else {
      return nil
    }
    let tag = base.replacing("_", with: "-")
    guard tag != "C", tag != "POSIX", tag.utf8.count <= 35, tag.utf8.allSatisfy(isTagCharacter) else {
      return nil
    }
    return String(tag)
  }

  static func isUTF8(_ environment: (String) -> String? = ProcessEnvironment.value) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first?.lowercased() ?? ""
    return name.contains("utf-8") || name.contains("utf8")
  }

  private static func isTagCharacter(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-")
  }
}
