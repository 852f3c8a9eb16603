/// Every handler, subject by subject; the program does not start when one is missing.
enum HandlerTable {
  static let all: [Handler] =
    serviceHandlers + deviceHandlers + pairingHandlers + passcodeHandlers + notificationHandlers
    + authenticationHandlers + loginHandlers
}
