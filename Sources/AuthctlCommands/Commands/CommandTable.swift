extension Command {
  /// Every command, sorted by name.
  package static let all: [Command] = [
    .accounts,
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
    .rpc,
    .status,
  ]

  /// The command of that name.
  package static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}
