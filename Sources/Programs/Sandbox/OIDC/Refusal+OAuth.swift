import JSON

// What OAuth answers, RFC 6749 section 5.2.
extension Refusal {
  static func oauth(_ code: String, _ description: String, status: Int = 400) -> Refusal {
    let form: JSON = ["error": .string(code), "error_description": .string(description)]
    return Refusal(status, code, description, form: form)
  }

  static func badRequest(_ description: String) -> Refusal { .oauth("invalid_request", description) }

  static func badGrant(_ description: String) -> Refusal { .oauth("invalid_grant", description) }
}
