/// All handlers, grouped by subject.
///
/// The program does not start if one is missing.
enum HandlerTable {
  static let all: [Handler] =
    serviceHandlers + backupHandlers + ownerHandlers + auditHandlers + deviceHandlers + lockHandlers
    + accountHandlers + pairingHandlers
    + passcodeHandlers + notificationHandlers + authenticationHandlers + loginHandlers + sessionHandlers
}
