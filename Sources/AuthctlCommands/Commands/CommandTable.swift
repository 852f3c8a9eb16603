extension Command {
  /// Every command, sorted by name.
  package static let all: [Command] = [
    .accounts,
    .accountsRemove,
    .accountsRename,
    .approve,
    .code,
    .configure,
    .deny,
    .login,
    .notifications,
    .notificationsProcess,
    .otp,
    .pair,
    .pairings,
    .pairingsApprove,
    .pairingsIgnore,
    .rotateKeys,
    .rpc,
    .status,
  ]

  /// The command of that name.
  package static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}
