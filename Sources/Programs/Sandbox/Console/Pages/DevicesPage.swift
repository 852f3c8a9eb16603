import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// The devices that users have paired, and the identities of machines.
  static let devices = ConsoleSection(title: "Devices", path: "\(base)/devices", routes: DevicesPage.routes)
}

@EventLoop
enum DevicesPage {
  private nonisolated static let base = "\(ConsoleSection.base)/devices"
  private static let one = "\(ConsoleSection.base)/users/{user}/devices/{device}"

  static let routes: [Route<Endpoint>] =
    [
      .page(base, show),
      .page("\(one)/delete") { visit throws(ErrorResponse) in
        let name = visit.tenant.title(of: try visit.call.device())
        let device = visit.call.parameters["device"] ?? ""
        return visit.confirmation(name, "\(owner(visit))/devices/\(device)/delete", back: owner(visit))
      },
      .form("\(one)/delete") { (visit, _) throws(ErrorResponse) in
        try await visit.ask("DELETE", try address(visit))
        return owner(visit)
      },
      .form("\(base)/{device}/forget") { (visit, _) throws(ErrorResponse) in
        try await visit.call.ask("DELETE", "/sandbox/devices/\(visit.call.parameters["device"] ?? "")")
        return base
      },
    ]
    + ["block", "unblock", "unlock"].map { action in
      .form("\(one)/\(action)") { (visit, _) throws(ErrorResponse) in
        try await visit.ask("POST", try address(visit), [:], action: "device.\(action)")
        return owner(visit)
      }
    }

  private static func owner(_ visit: Visit) -> String {
    "\(ConsoleSection.users.path)/\(visit.call.parameters["user"] ?? "")"
  }

  private static func address(_ visit: Visit) throws(ErrorResponse) -> String {
    let device = try visit.call.device()
    return "/users/\(device.user.text)/devices/\(device.id.text)"
  }

  private static func show(_ visit: Visit) -> ConsolePage {
    let tenant = visit.tenant
    let identities = tenant.trustedDevices.all.map { device -> [HTML] in
      let users = tenant.pairings(on: device.id).compactMap { tenant.users[$0.user]?.username }
      return [
        HTML(device.name), HTML("\(device.system) \(device.systemVersion)"), HTML(device.geography.rawValue),
        HTML(device.isPushEnabled ? device.push?.provider.rawValue ?? "" : "off"),
        HTML(users.joined(separator: ", ")),
        visit.button("Forget", "\(base)/\(device.id.text)/forget"),
      ]
    }
    return ConsolePage(
      "Devices",
      .section("Of users", table(of: tenant.devices.all, visit)),
      .section(
        "Machines",
        .element("p", "Identities that have established trust. A forgotten identity is unknown."),
        .table(
          ["Name", "System", "Geography", "Pushes", "Users", ""],
          identities,
          none: "No machine has established trust yet."
        )
      )
    )
  }

  static func table(of devices: [MFADevice], _ visit: Visit) -> HTML {
    let tenant = visit.tenant
    let rows = devices.map { device -> [HTML] in
      let path = "\(ConsoleSection.users.path)/\(device.user.text)"
      let isLocked = device.passcodeLock != nil || device.mobile?.pushLock != nil
      return [
        HTML(tenant.title(of: device)), .link(path, tenant.users[device.user]?.username ?? "nobody"),
        HTML(device.kind.words),
        device.blockedAt == nil
          ? .state(device.status) : .element("span", ["class": "state bad"], "blocked"),
        .several(
          device.blockedAt == nil
            ? visit.button("Block", "\(path)/devices/\(device.id.text)/block")
            : visit.button("Unblock", "\(path)/devices/\(device.id.text)/unblock"),
          isLocked ? visit.button("Unlock", "\(path)/devices/\(device.id.text)/unlock") : nil,
          .danger("\(path)/devices/\(device.id.text)/delete", "Delete")
        ),
      ]
    }
    return .table(["Device", "User", "Kind", "State", ""], rows, none: "Nothing is paired.")
  }
}
