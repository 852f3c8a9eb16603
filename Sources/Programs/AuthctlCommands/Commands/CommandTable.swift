public import ControlClient

/// A group of commands with its title in the help.
public struct CommandGroup: Sendable {
  public let title: SafeText
  public let commands: [Command]

  /// All commands, in the order in which a new user needs them.
  public static let all = [
    CommandGroup(
      title: "getting started",
      commands: [.setup, .status, .doctor, .login, .enrol, .importExport, .pair, .configure, .tenantCheck]
    ),
    CommandGroup(
      title: "daily use",
      commands: [.otp, .approve, .deny, .notifications, .code, .watch]
    ),
    CommandGroup(
      title: "accounts and sign-ons",
      commands: [
        .accounts, .accountsRename, .accountsRemove, .devices, .devicesRename, .devicesRemove, .pairings,
        .pairingsApprove, .pairingsIgnore, .sessions, .sessionsEnd, .userInfo, .logout,
      ]
    ),
    CommandGroup(title: "your PIN", commands: [.pinSet, .pinChange, .pinClear, .lock, .unlock]),
    CommandGroup(
      title: "this authenticator",
      commands: [.device, .push, .pushToken, .testPush, .rotateKeys, .sendLogs, .audit, .auditVerify, .reset]
    ),
    CommandGroup(
      title: "for administrators",
      commands: [.metrics, .backup, .backupCreate, .owners, .ownersErase]
    ),
    CommandGroup(
      title: "for programs and shells",
      commands: [.rpc, .notificationsProcess, .completion, .completionWords]
    ),
  ]
}

extension Command {
  public static let all = CommandGroup.all.flatMap(\.commands)

  /// Returns the command of that name.
  public static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}
