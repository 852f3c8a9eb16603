import JSON

/// Why something that a resource stands for came to nothing.
struct Failure: Sendable, Equatable {
  let code: String
  let message: String

  var json: JSON { ["code": .string(code), "message": .string(message)] }
}

extension Failure {
  init?(_ record: Record) {
    guard let code = record.text("code"), let message = record.text("message") else { return nil }
    self.init(code: code, message: message)
  }
}
