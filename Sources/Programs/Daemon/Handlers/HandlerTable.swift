/// Every handler, subject by subject; the program does not start when one is missing.
enum HandlerTable {
  static let all: [Handler] =
    serviceHandlers + ownerHandlers + auditHandlers + deviceHandlers + lockHandlers + accountHandlers
    + pairingHandlers
    + passcodeHandlers + notificationHandlers + authenticationHandlers + loginHandlers + sessionHandlers
}
