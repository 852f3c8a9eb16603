/// One notification of the desktop.
struct Popup: Equatable {
  /// What a person can press.
  enum Press: Equatable {
    case approve(number: Int?)
    case deny
    case report
  }

  var summary: String
  var lines: [String]
  var presses: [Press] = []
  /// Whether it goes away by itself.
  var isBrief = false
}

extension Popup.Press {
  /// What the notification server tells it by.
  var key: String {
    switch self {
    case .approve(nil): "approve"
    case .approve(let number?): "number-\(number)"
    case .deny: "deny"
    case .report: "report"
    }
  }

  var label: String {
    switch self {
    case .approve(nil): "Approve"
    case .approve(let number?): String(number)
    case .deny: "Deny"
    case .report: "Report"
    }
  }
}
