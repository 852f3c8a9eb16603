import JOSE
import OpenSSL
import Text

/// What a device shows of a push, as a decision tells it: title, body and the numbers to choose from, a line each.
struct ShownText {
  var title: String?
  var body: String?
  var numbers: [Int] = []

  var digest: String? {
    let title = title.map { DisplayText.clean($0) } ?? ""
    let body = body.map { DisplayText.clean($0, maximum: DisplayText.bodyLength) } ?? ""
    let text = "\(title)\n\(body)\n" + numbers.map(String.init).joined(separator: ",")
    return (try? OpenSSL.digest(Array(text.utf8), .sha256)).map { Base64URL.encode($0) }
  }
}

extension Tenant {
  func shownText(of notification: Notification) -> ShownText {
    let authentication = notification.authentication.flatMap { authentications[$0] }
    return ShownText(
      title: authentication?.title,
      body: authentication?.body,
      numbers: notification.number?.options ?? []
    )
  }
}
