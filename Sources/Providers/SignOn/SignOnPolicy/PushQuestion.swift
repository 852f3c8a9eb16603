internal import ControlAPI
internal import JSON
internal import JSONRPC

/// The question whether to approve or deny a push within a sign-on.
///
/// It shows data that the platform signed and the account's name, but nothing from the server's page, which a
/// courier can forge. The user types the number, if one is required.
struct PushQuestion: Sendable {
  enum Decision: Sendable {
    case approve(number: Int?)
    case deny
  }

  let push: NotificationObject
  /// Name of the account on this machine.
  let account: String

  // The kind is not `submit`, so that an input without an action decides nothing.
  private static let approve = SignOnPage.Action(
    key: "push.approve",
    label: "Approve this request",
    kind: .flow
  )
  private static let deny = SignOnPage.Action(key: "push.deny", label: "Deny this request", kind: .flow)
  private static let numberKey = "number"

  func page(message: String? = nil) -> SignOnPage {
    let content = push.content
    var page = SignOnPage(
      title: "Approve this request?",
      actions: [Self.approve, Self.deny],
      message: message
    )
    page.description = "This request came to this machine. Approve it only if you started this action."
    let shown: [(String, String, JSON?)] = [
      ("title", "Request", content.title.map { .string($0) }),
      ("body", "Text", content.body.map { .string($0) }),
      ("clientContext", "Context", content.clientContext),
      ("applicationContext", "Application", content.applicationContext),
      ("account", "Account", .string(account)),
    ]
    page.collectors = shown.compactMap { key, label, value in
      guard let value else { return nil }
      var collector = Collector(key: key, type: "LabelCollector", label: label)
      collector.value = value
      return collector
    }
    if content.numberMatching != nil {
      // The number is required to approve, not to deny.
      let label = "Number shown where you sign on, to approve"
      page.collectors.append(Collector(key: Self.numberKey, type: "TextCollector", label: label))
    }
    return page
  }

  /// Returns the decision in an input; `nil` if its action is not a decision.
  func decision(_ input: StepInput) throws(RPCError) -> Decision? {
    switch input.action {
    case Self.approve.key: .approve(number: try number(input.values))
    // The values are ignored: the user may have typed a number before denying.
    case Self.deny.key: .deny
    default: nil
    }
  }

  private func number(_ values: JSONObject) throws(RPCError) -> Int? {
    guard values.names.allSatisfy({ $0 == Self.numberKey }) else { throw .invalidParameter("values") }
    guard let value = values[Self.numberKey], value != "" else { return nil }
    guard let number = value.int ?? value.string.flatMap({ Int($0) }), MatchedNumber.range.contains(number)
    else {
      throw .invalidParameter("values")
    }
    return number
  }
}
