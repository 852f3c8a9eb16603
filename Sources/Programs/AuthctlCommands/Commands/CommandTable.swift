extension Command {
  /// Every command, sorted by name.
  package static let all: [Command] = [
    .accounts,
    .accountsRemove,
    .accountsRename,
    .approve,
    .audit,
    .code,
    .configure,
    .deny,
    .device,
    .enrol,
    .importExport,
    .login,
    .logout,
    .metrics,
    .notifications,
    .notificationsProcess,
    .otp,
    .owners,
    .ownersErase,
    .pair,
    .pairings,
    .pairingsApprove,
    .pairingsIgnore,
    .push,
    .pushToken,
    .reset,
    .rotateKeys,
    .rpc,
    .sendLogs,
    .sessions,
    .sessionsEnd,
    .status,
    .testPush,
    .userInfo,
    .watch,
  ]

  /// The command of that name.
  package static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}
