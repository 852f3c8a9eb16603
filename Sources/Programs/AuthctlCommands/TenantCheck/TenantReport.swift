internal import ControlAPI
internal import ControlClient
internal import JSONRPC

/// The results of checks at a real tenant, without names, ids, addresses or texts of the tenant.
struct TenantReport: ControlObject {
  /// The checks, with their stable names.
  enum Name: String, ControlChoice {
    case signOn = "sign-on"
    case scopes
    case deviceList = "device-list"
    case passcodeDevice = "passcode-device"
    case passcode
    case removal = "device-removal"
    case clock
  }

  enum Outcome: String, ControlChoice {
    case pass, fail, skipped
  }

  struct Row: ControlObject {
    let name: Open<Name>
    let outcome: Open<Outcome>
    /// The stable name of the error, or the sign-on method.
    let note: String?

    static let shape = Shape(
      Row.init(name:outcome:note:),
      .required("check", \.name, "the name of the check"),
      .required("outcome", \.outcome, "its result"),
      .optional("note", \.note, "the stable name of an error, or the sign-on method")
    )
  }

  let version: String
  private(set) var rows: [Row]

  static let shape = Shape(
    TenantReport.init(version:rows:),
    .required("version", \.version, as: .text(maximum: 32), "the version of authctl"),
    .required("checks", \.rows, "the checks")
  )

  init(version: String, rows: [Row] = []) { (self.version, self.rows) = (version, rows) }

  var hasFailed: Bool { rows.contains { $0.outcome == .fail } }

  mutating func note(_ name: Name, _ outcome: Outcome, _ note: String? = nil) {
    rows.append(Row(name: .known(name), outcome: .known(outcome), note: note))
  }

  /// Notes the remaining checks as skipped.
  mutating func skipRest() {
    for name in Name.allCases where !rows.contains(where: { $0.name == name }) { note(name, .skipped) }
  }

  var lines: [SafeText] {
    ["authctl \(version)"]
      + Columns.lines(rows) { row in
        ["\(row.name.name)", "\(row.outcome.name)"] + (row.note.map { ["\($0)" as SafeText] } ?? [])
      }
  }
}
