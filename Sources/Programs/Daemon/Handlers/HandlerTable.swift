/// All handlers, grouped by subject.
///
/// The program does not start if a method has no handler.
enum HandlerTable {
  static let all: [Handler] =
    serviceHandlers + backupHandlers + ownerHandlers + auditHandlers + deviceHandlers + lockHandlers
    + accountHandlers + pairingHandlers
    + passcodeHandlers + notificationHandlers + authenticationHandlers + loginHandlers + sessionHandlers
}
