internal import JSON

/// The kinds of fields by the names under which the server writes them.
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

  /// A field of its kind; the input type says more than the type, and a kind that nobody knows is shown as it came.
  static func form(of field: DaVinciField) -> FieldForm {
    let names = [field.json["inputType"]?.string, field.json["type"]?.string]
    let reader = names.lazy.compactMap { $0.flatMap { all[$0] } }.first ?? FieldForm.unknown
    let form = reader(field)
    // The key that it would be answered or chosen by is missing.
    return form.needsKey && !field.hasKey ? .keyless(field) : form
  }
}
