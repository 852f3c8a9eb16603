internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Command {
  static let tenantCheck = Command(
    "tenant-check",
    "[OPTION]…",
    options: Option.signOn,
    summary: "test this authenticator at a PingOne tenant, and print a report",
    details: """
      You sign on twice. The first sign-on registers this machine as an authenticator app, makes a passcode
      and lists the device; the second removes it. The report contains the names of the checks and stable
      names of errors, but nothing about you or the tenant, so that you can share it. Use a test user. With
      --json the report is the last line, after the steps of the sign-ons.
      """
  ) { (session) throws(Failure) in
    var report = TenantReport(version: Version.text)
    try session.tryTenant(&report)
    report.skipRest()
    try session.output.result(Reply(report)) { $0.lines }
    if report.hasFailed { throw .told(.refused) }
  }
}

extension Session {
  fileprivate func tryTenant(_ report: inout TenantReport) throws(Failure) {
    guard let made = try trySignOn(DeviceOrders(add: [.totp], lists: true), noting: .signOn, &report) else {
      return
    }
    report.note(.signOn, .pass, made.method.name)
    let outcome = made.devices ?? DeviceOutcome()
    report.take(outcome)
    guard let account = outcome.added.first?.id else { return }
    report.note(.passcode, try makesPasscode(account) ? .pass : .fail)
    let device = outcome.list?.first { $0.account == account }?.id
    let removed = try trySignOn(DeviceOrders(lists: true, remove: [account]), noting: .removal, &report)?
      .devices
    guard let removed else {
      return output.hint("\"authctl devices remove \(account)\" removes the test device")
    }
    let isGone = removed.removed == [account] && removed.list?.contains { $0.id == device } == false
    report.note(.removal, isGone ? .pass : .fail, removed.problems.first?.reason)
  }

  /// Returns the last step of a sign-on.
  ///
  /// If the sign-on fails, notes the failure under `name` and returns `nil`.
  private func trySignOn(
    _ orders: DeviceOrders,
    noting name: TenantReport.Name,
    _ report: inout TenantReport
  ) throws(Failure) -> Node? {
    do throws(Failure) {
      return try signOn(for: orders).value
    } catch {
      switch error {
      case .refused(let refusal): report.note(name, .fail, refusal.error.reason)
      case .failed(let complaint) where complaint.reason == .signOnFailed:
        report.note(name, .fail, complaint.reason.rawValue)
      default: throw error
      }
      return nil
    }
  }

  private func makesPasscode(_ account: String) throws(Failure) -> Bool {
    if case .timed? = try? call(PasscodeGet(account: account)) { true } else { false }
  }
}

extension TenantReport {
  /// Notes the results of the first sign-on.
  fileprivate mutating func take(_ outcome: DeviceOutcome) {
    let scopes = outcome.problems.first { $0.code == RPCError.scopeNotGranted.code }
    // Without a list of devices, scopes and clock are unknown.
    let unknown: Outcome = outcome.list == nil ? .skipped : .pass
    note(.scopes, scopes == nil ? unknown : .fail, scopes?.reason)
    let list = outcome.problems.first { $0.subject == "list" }
    note(.deviceList, outcome.list == nil ? .fail : .pass, list?.reason)
    let made = outcome.problems.first { $0.subject == DeviceOrders.Kind.totp.rawValue }
    note(.passcodeDevice, outcome.added.isEmpty ? .fail : .pass, made?.reason)
    let clock = outcome.problems.first { $0.subject == DeviceOutcome.Problem.clock }
    note(.clock, clock == nil ? unknown : .fail, clock?.reason)
  }
}
