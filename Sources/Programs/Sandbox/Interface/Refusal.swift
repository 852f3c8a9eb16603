import HTTPServer
import JSON

/// A refusal in the platform's form, `{id, code, message, details}`, or in that of another protocol.
struct Refusal: Error {
  /// What exactly is wrong with one member of the request.
  private struct Detail {
    let code: String
    let target: String
    let message: String
    let innerError: JSON?

    var json: JSON { .of(["code": code, "target": target, "message": message, "innerError": innerError]) }
  }

  let status: Int
  let code: String
  let message: String
  /// What is said in place of the platform's form.
  let form: JSON?
  private var details: [Detail] = []
  private var more: JSONObject = [:]
  private var challenge: String?

  init(_ status: Int, _ code: String, _ message: String, form: JSON? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.form = form
  }

  func because(_ code: String, _ target: String, _ message: String, _ innerError: JSON? = nil) -> Refusal {
    var refusal = self
    refusal.details.append(Detail(code: code, target: target, message: message, innerError: innerError))
    return refusal
  }

  /// The refusal with further members, where the device service says so.
  func with(_ more: JSONObject) -> Refusal {
    var refusal = self
    refusal.more = more
    return refusal
  }

  /// The refusal of a request without the token that it needs, RFC 6750 section 3.
  func challenging(_ challenge: String) -> Refusal {
    var refusal = self
    refusal.challenge = challenge
    return refusal
  }

  /// What a person is told: what exactly is wrong, if that is known.
  var shortMessage: String { details.first?.message ?? message }

  /// What a program is told in one text: what exactly is wrong, and with which member.
  var exactMessage: String { details.first.map { "\($0.target): \($0.message)" } ?? message }

  var json: JSON {
    if let form { return form }
    let members = JSONObject(of: [
      "id": ID<Refusal>.random(), "code": code, "message": message,
      "details": details.isEmpty ? nil : details.map(\.json),
    ])
    return .object(members.adding(more))
  }

  var response: HTTPResponse {
    let response = HTTPResponse.json(status, json)
    return challenge.map { response.with("WWW-Authenticate", $0) } ?? response
  }
}
