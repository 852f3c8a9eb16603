/// A state that the console shows in words; the raw value, as the interface has it, is the tooltip.
protocol StateWords: RawRepresentable<String> {
  var words: String { get }
  /// The class of its colour.
  var color: String { get }
}

extension HTML {
  static func state(_ state: some StateWords) -> HTML {
    .element("span", ["class": "state \(state.color)", "title": state.rawValue], HTML(state.words))
  }
}

extension DeviceAuthentication.Status: StateWords {
  var words: String {
    switch self {
    case .otpRequired: "waiting for a passcode"
    case .deviceSelectionRequired: "waiting for the choice of a device"
    case .pushConfirmationRequired: "waiting for approval"
    case .pushConfirmationTimedOut: "not answered in time"
    case .completed: "completed"
    case .failed: "failed"
    }
  }

  var color: String {
    switch self {
    case .completed: "good"
    case .failed, .pushConfirmationTimedOut: "bad"
    case .otpRequired, .deviceSelectionRequired, .pushConfirmationRequired: "open"
    }
  }
}

extension IssuedCode.Status: StateWords {
  var words: String {
    switch self {
    case .unclaimed: "not entered yet"
    case .claimed: "waiting for approval"
    case .completed: "completed"
    case .denied: "denied"
    case .expired: "expired"
    }
  }

  var color: String {
    switch self {
    case .completed: "good"
    case .denied, .expired: "bad"
    case .unclaimed, .claimed: "open"
    }
  }
}

extension MFADevice.Status: StateWords {
  var words: String {
    switch self {
    case .active: "active"
    case .activationRequired: "not activated"
    }
  }

  var color: String { self == .active ? "good" : "open" }
}

extension MFADevice.Kind {
  /// The functions of such a device.
  var words: String {
    switch self {
    case .mobile: "pushes and passcodes"
    case .totp: "passcodes"
    }
  }
}
