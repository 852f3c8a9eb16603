internal import ControlAPI
internal import JOSE
internal import OpenSSL

/// What a person saw of a push when they decided, as a decision tells it: by a hash, so that the platform can tell
/// whether it was what it sent.
enum ShownText {
  /// The hash of title, body and the numbers to choose from, a line each.
  ///
  /// None of them has a line in it: what is shown has no control characters left.
  static func digest(of content: NotificationObject.Content) throws -> String {
    let numbers = (content.numberOptions ?? []).map(String.init).joined(separator: ",")
    let text = [content.title ?? "", content.body ?? "", numbers].joined(separator: "\n")
    return Base64URL.encode(try OpenSSL.digest(Array(text.utf8), .sha256))
  }
}
