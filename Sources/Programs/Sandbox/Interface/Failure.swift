import JSON

/// Why something that a resource stands for came to nothing.
struct Failure: Codable, Equatable, Shown {
  let code: String
  let message: String

  var json: JSON { ["code": .string(code), "message": .string(message)] }
}
