import JSON
import OpenSSL
import Text
import Time
import WebAddress

@testable import CurlClient
@testable import PushRelay
@testable import SignOn

extension FuzzTarget {
  private static let now = Timestamp(seconds: 1_800_000_000)

  /// URLs, header values, and texts for display.
  static let web = [
    FuzzTarget(text: "web-address") { text in
      if let url = WebURL(text) {
        require(WebURL(url.text) == url, "an address that is written reads as itself")
        _ = NetworkAddress(host: url.origin.host).map(\.isPublic)
        _ = url.appending(path: "devices")?.appending(query: [("a", "b")])
        _ = RelayAddress.stream(of: url, since: "all")
      }
      _ = RedirectAddress(text).flatMap(\.members)
      _ = FormEncoding.decodeUnique(text)
    },
    FuzzTarget(text: "header-values") { text in
      if let date = Timestamp(httpDate: text) { require(Timestamp(text: date.text) == date, "a date is one") }
      if let instant = Timestamp(text: text) { _ = instant.text }
      guard let url = WebURL("https://am.example/am/json/authenticate") else { return }
      var jar = CookieJar(origin: url.origin)
      for line in text.split(separator: "\n") { jar.take(String(line), from: url, now: now) }
      require(jar.cookies.count <= 32, "cookies are few")
      _ = jar.field(for: url)
    },
    FuzzTarget(text: "display-text") { text in
      require(DisplayText.clean(text).count <= DisplayText.standardLength, "a text that is shown is short")
      _ = DisplayText.lines(text)
    },
    FuzzTarget("web-push") { bytes in
      guard let keys = try? Receiver.keys.get() else { return require(false, "a receiver has keys") }
      _ = try keys.open(EncryptedMessage(bytes))
    },
    FuzzTarget("relay-line") { line in
      guard let message = RelayMessage(line), let content = message.content else { return }
      _ = try EncryptedMessage(content)
    },
  ]

  private enum Receiver {
    static let keys = Result {
      try WebPushKeys(privateKey: .generateP256(), authSecret: .random(count: WebPushKeys.authSecretCount))
    }
  }
}
