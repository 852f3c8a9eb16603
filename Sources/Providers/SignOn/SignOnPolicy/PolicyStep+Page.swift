internal import ControlAPI
internal import JSON
internal import Text

extension PolicyStep {
  /// The ways to go on that this step offers and that can be taken here.
  var actions: [PolicyAction] { PolicyAction.all.filter { links[$0.name] != nil } }

  /// Whether the step waits for an answer on another device.
  var waitsForPush: Bool { status == "PUSH_CONFIRMATION_REQUIRED" }

  /// The action that hands in what the step asks for; one that waits asks for nothing.
  var submit: PolicyAction? { waitsForPush ? nil : actions.first { $0.kind == .submit } }

  /// The step as a person sees it; what cannot be answered here is a failure.
  ///
  /// `chosen` shows what that action asks instead of what the step asks by itself.
  func page(choosing chosen: PolicyAction? = nil) throws(SignOnFailure) -> SignOnPage {
    if status == "EXTERNAL_AUTHENTICATION_REQUIRED" || status.hasPrefix("ACCOUNT_LINKING") {
      throw .unsupported("this account signs on elsewhere, which needs a browser")
    }
    if status == "ASSERTION_REQUIRED" {
      throw .unsupported("this account signs on with a security key, which needs a browser")
    }
    var page = SignOnPage()
    page.title = chosen?.label ?? Self.titles[status] ?? "Sign On"
    page.description = (embedded["promptText"] ?? embedded["agreement"]?["text"])?.string.map {
      DisplayText.clean($0, maximum: DisplayText.bodyLength)
    }
    if waitsForPush, chosen == nil {
      page.collectors =
        numberToShow + [
          Collector(key: "push", type: "PollingCollector", label: "Waiting for the answer")
        ]
      page.actions = actions.map { SignOnPage.Action(key: $0.name, label: $0.label, kind: .flow) }
      return page
    }
    guard let main = chosen ?? submit else {
      throw .unsupported("this step cannot be answered here: \(DisplayText.clean(status))")
    }
    page.collectors = main.collectors(self)
    page.actions = [SignOnPage.Action(key: main.name, label: main.label, kind: .submit)]
    page.actions += actions.filter { $0.name != main.name }.map {
      SignOnPage.Action(key: $0.name, label: $0.label, kind: $0.kind == .submit ? .flow : $0.kind)
    }
    page.message = Self.notes[status]
    return page
  }

  /// The number that the person has to tell the device.
  private var numberToShow: [Collector] {
    guard let number else { return [] }
    var collector = Collector(key: "number", type: "LabelCollector", label: "Number")
    collector.value = .string("\(number)")
    return [collector]
  }

  private static let titles = [
    "USERNAME_PASSWORD_REQUIRED": "Sign On", "SIGN_ON_REQUIRED": "Sign On", "PASSWORD_REQUIRED": "Sign On",
    "MUST_CHANGE_PASSWORD": "Change password", "PASSWORD_EXPIRED": "Change password",
    "RECOVERY_CODE_REQUIRED": "Recover the account", "VERIFICATION_CODE_REQUIRED": "Verify the account",
    "DEVICE_SELECTION_REQUIRED": "Choose a device", "OTP_REQUIRED": "Passcode",
    "PUSH_CONFIRMATION_REQUIRED": "Confirm on your device", "PUSH_CONFIRMATION_TIMED_OUT": "Choose a device",
    "PROFILE_DATA_REQUIRED": "Your profile", "CONSENT_REQUIRED": "Agreement",
    "AGREEMENT_CONSENT_REQUIRED": "Agreement",
    "DAG_USER_CODE_REQUIRED": "Device code", "DAG_CONSENT_REQUIRED": "Confirm the device",
  ]

  private static let notes = [
    "PASSWORD_EXPIRED": "the password is too old and has to be changed",
    "MUST_CHANGE_PASSWORD": "the password has to be changed",
    "PUSH_CONFIRMATION_TIMED_OUT": "the request was not answered in time",
  ]
}
