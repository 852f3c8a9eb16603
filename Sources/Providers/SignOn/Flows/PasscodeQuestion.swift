internal import Accounts
internal import ControlAPI
internal import JSON

/// What a person is asked before passcodes of this machine leave it: of which account they are, and who gets them.
struct PasscodeQuestion: Sendable {
  /// A field that wants a passcode of an account.
  struct Wanted: Sendable {
    let field: String
    let account: AccountRecord
  }

  /// What else the step is answered with.
  let input: StepInput
  let wanted: [Wanted]
  /// The issuer, or of a journey its server.
  let receiver: String

  // Of another kind than what hands in a form: whoever names no action has decided nothing.
  static let release = SignOnPage.Action(key: "passcode.release", label: "Hand it over", kind: .flow)
  static let keep = SignOnPage.Action(key: "passcode.keep", label: "Do not hand it over", kind: .flow)

  var page: SignOnPage {
    var page = SignOnPage(title: "Hand over a passcode?", actions: [Self.release, Self.keep])
    page.description = "A passcode of this machine is about to be handed over."
    page.collectors = wanted.map { Self.label("account", "Account", $0.account.shownName) }
    page.collectors.append(Self.label("issuer", "To", receiver))
    return page
  }

  private static func label(_ key: String, _ label: String, _ value: String) -> Collector {
    var collector = Collector(key: key, type: "LabelCollector", label: label)
    collector.value = .string(value)
    return collector
  }
}
