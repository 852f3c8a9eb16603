internal import JSON

/// The kinds of fields by the names under which the server writes them.
enum FieldTable {
  static let all: [String: any FormField.Type] = [
    "ACTION": FlowField.self,
    "AGREEMENT": AgreementField.self,
    "BOOLEAN": BooleanField.self,
    "BUTTON": FlowField.self,
    "CHECKBOX": MultiSelectField.self,
    "COMBOBOX": MultiSelectField.self,
    "DEVICE_AUTHENTICATION": DeviceAuthenticationField.self,
    "DEVICE_REGISTRATION": DeviceRegistrationField.self,
    "DROPDOWN": SingleSelectField.self,
    "ERROR_DISPLAY": ErrorDisplayField.self,
    "FIDO2": SecurityKeyField.self,
    "FLOW_BUTTON": FlowField.self,
    "FLOW_LINK": FlowField.self,
    "IMAGE": ImageField.self,
    "LABEL": LabelField.self,
    "LINK": FlowField.self,
    "METADATA": MetadataField.self,
    "MOBILE_PAIRING": MobilePairingField.self,
    "MULTI_SELECT": MultiSelectField.self,
    "PASSWORD": PasswordField.self,
    "PASSWORD_VERIFY": PasswordField.self,
    "PHONE_NUMBER": PhoneNumberField.self,
    "POLLING": PollingField.self,
    "PROTECT": ProtectField.self,
    "QR_CODE": QRCodeField.self,
    "RADIO": SingleSelectField.self,
    "READ_ONLY_TEXT": AgreementField.self,
    "SINGLE_CHECKBOX": BooleanField.self,
    "SINGLE_SELECT": SingleSelectField.self,
    "SOCIAL_LOGIN_BUTTON": IdentityProviderField.self,
    "SUBMIT_BUTTON": SubmitField.self,
    "TEXT": TextField.self,
  ]

  /// A field of its kind; the input type says more than the type, and a kind that nobody knows is shown as it came.
  static func field(_ description: FieldDescription) -> any FormField {
    let names = [description.json["inputType"]?.string, description.json["type"]?.string]
    let kind = names.lazy.compactMap { $0.flatMap { all[$0] } }.first ?? UnknownField.self
    // What it would be answered or chosen by is missing.
    if kind.needsKey, !description.hasKey { return KeylessField(description) }
    return kind.init(description)
  }
}
