import JSON

/// Why something that a resource stands for came to nothing.
struct Failure: Codable, Equatable, Shown {
  let code: String
  let message: String

  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  var json: JSON { ["code": .string(code), "message": .string(message)] }
}
