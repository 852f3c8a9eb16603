import ControlAPI
import CourierProtocol
import EventLoop
import JSON

@testable import SignOn

/// A page of the played server with these fields.
func page(_ fields: JSON...) -> JSON { page(fields: fields) }

/// A page of the played server with these fields.
func page(fields: [JSON]) -> JSON {
  let base = "https://auth.example/e-1/davinci/connections/c"
  return [
    "id": "p1", "eventName": "continue", "interactionId": "i-1", "interactionToken": "t-1",
    "_links": [
      "next": ["href": .string(base)], "self": ["href": .string(base + "/capabilities/customForm")],
    ],
    "form": ["name": "Sign On", "components": ["fields": .array(fields)]],
  ]
}

/// A step that the test does not expect.
struct Unexpected: Error {
  let step: Step
}

extension Step {
  /// Returns the page to answer.
  func page() throws -> SignOnPage {
    guard case .page(let page) = self else { throw Unexpected(step: self) }
    return page
  }

  /// Returns the page after a wrong answer.
  func wrongPage() throws -> SignOnPage {
    guard case .wrong(let page) = self else { throw Unexpected(step: self) }
    return page
  }
}

extension DaVinciFlow {
  /// Processes the response to the authorization request.
  @discardableResult
  func begin(_ json: JSON, status: Int = 200) async throws -> Step {
    try await take(CourierResponse(status: status, headers: [], body: json.serialized))
  }
}
