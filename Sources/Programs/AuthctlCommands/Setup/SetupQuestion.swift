internal import Configuration
internal import ControlClient
internal import Text

/// A question for one key of the configuration.
struct SetupQuestion: Sendable {
  let key: String
  /// The explanation of the value and its source.
  let explanation: [SafeText]
  /// The default, which Enter takes; `nil` if an answer is required.
  var standard: String?
  /// The path below the answered address that must respond; `nil` for no check.
  var probe: String?

  static let platform = SetupQuestion(
    key: "platform",
    explanation: [
      "The address of the gateway with the device service, for pushes and pairing.",
      "Ask your administrator for it. It begins with https://.",
    ],
    probe: "/device/v1/platform-keys"
  )
  static let platformKey = SetupQuestion(
    key: "platform_key",
    explanation: [
      "The thumbprint of the gateway's key, by which the daemon authenticates the gateway.",
      "Ask your administrator for it. With Enter, the daemon trusts the first key that it receives.",
    ],
    standard: ""
  )
  static let issuer = SetupQuestion(
    key: "issuer",
    explanation: [
      "The server that signs you on: in PingOne the \"Issuer ID\" of the application, such as",
      "https://auth.pingone.eu/<environment id>/as. The environment id alone is enough.",
    ],
    probe: "/.well-known/openid-configuration"
  )
  static let clientID = SetupQuestion(
    key: "client_id",
    explanation: ["The id of the native application that your administrator made for this authenticator."]
  )
  static let redirectURI = SetupQuestion(
    key: "redirect_uri",
    explanation: ["The redirect URI that is registered for that application."],
    standard: "http://127.0.0.1/callback"
  )
  static let journeyServer = SetupQuestion(
    key: "journey_server",
    explanation: ["The address of PingAM or Advanced Identity Cloud, up to and including /am."],
    probe: "/json/serverinfo/*"
  )
  static let journeyRealm = SetupQuestion(
    key: "journey_realm",
    explanation: ["The realm in which you sign on there."],
    standard: "alpha"
  )

  /// Returns the question with the value of the present file as default, if the parser accepts that value.
  ///
  /// `lines` are the lines that the answers replace; the first line of this key counts.
  func offering(_ lines: [String]) -> SetupQuestion {
    for line in lines {
      guard let split = line.firstIndex(of: "="), line[..<split].trimmed(where: \.isWhitespace) == key else {
        continue
      }
      let value = String(line[line.index(after: split)...].trimmed(where: \.isWhitespace))
      guard problem(with: value, after: ["allow_loopback_http = yes"]) == nil else { return self }
      var copy = self
      copy.standard = value
      return copy
    }
    return self
  }

  /// Returns an answer with `https://`, if a server's URL lacks its scheme.
  func completed(_ answer: String) -> String {
    probe != nil && !answer.contains("://") && !answer.contains("=") ? "https://\(answer)" : answer
  }

  /// Returns the error in an answer according to the daemon's own parser; `nil` if there is none.
  func problem(with answer: String, after lines: [String]) -> String? {
    let text = (lines + ["\(key) = \(answer)"]).joined(separator: "\n")
    do {
      _ = try Configuration(parsing: text, file: key)
      return nil
    } catch { return error.problem }
  }
}
