internal import JSON

/// Functions that create the form of a field, by the server's name for the kind of field.
enum FieldTable {
  typealias Reader = @Sendable (DaVinciField) -> FieldForm

  static let all: [String: Reader] = [
    "ACTION": FieldForm.flow,
    "AGREEMENT": FieldForm.agreement,
    "BOOLEAN": FieldForm.consent,
    "BUTTON": FieldForm.flow,
    "CHECKBOX": FieldForm.multiSelect,
    "COMBOBOX": FieldForm.multiSelect,
    "DEVICE_AUTHENTICATION": FieldForm.deviceAuthentication,
    "DEVICE_REGISTRATION": FieldForm.deviceRegistration,
    "DROPDOWN": FieldForm.singleSelect,
    "ERROR_DISPLAY": FieldForm.errorDisplay,
    "FIDO2": FieldForm.securityKey,
    "FLOW_BUTTON": FieldForm.flow,
    "FLOW_LINK": FieldForm.flow,
    "IMAGE": FieldForm.image,
    "LABEL": FieldForm.label,
    "LINK": FieldForm.flow,
    "METADATA": FieldForm.metadata,
    "MOBILE_PAIRING": FieldForm.mobilePairing,
    "MULTI_SELECT": FieldForm.multiSelect,
    "PASSWORD": FieldForm.password,
    "PASSWORD_VERIFY": FieldForm.password,
    "PHONE_NUMBER": FieldForm.phoneNumber,
    "POLLING": FieldForm.polling,
    "PROTECT": FieldForm.protect,
    "QR_CODE": FieldForm.qrCode,
    "RADIO": FieldForm.singleSelect,
    "READ_ONLY_TEXT": FieldForm.agreement,
    "SINGLE_CHECKBOX": FieldForm.consent,
    "SINGLE_SELECT": FieldForm.singleSelect,
    "SOCIAL_LOGIN_BUTTON": FieldForm.identityProvider,
    "SUBMIT_BUTTON": FieldForm.submit,
    "TEXT": FieldForm.text,
  ]

  /// Creates the form of a field.
  ///
  /// A known `inputType` takes precedence over `type`. An unknown kind of field is shown as received.
  static func form(of field: DaVinciField) -> FieldForm {
    let names = [field.json["inputType"]?.string, field.json["type"]?.string]
    let reader = names.lazy.compactMap { $0.flatMap { all[$0] } }.first ?? FieldForm.unknown
    let form = reader(field)
    // A field with an input or an action is useless without a key, so it is only shown.
    return form.needsKey && !field.hasKey ? .keyless(field) : form
  }
}
