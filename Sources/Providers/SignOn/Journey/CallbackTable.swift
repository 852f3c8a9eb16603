/// The types of callbacks, and how each is put to a person and answered.
enum CallbackTable {
  typealias Codec = @Sendable (Callback) throws(SignOnFailure) -> CallbackForm

  static let all: [String: Codec] = [
    "AppIntegrityCallback": CallbackForm.unsupported,
    "BooleanAttributeInputCallback": CallbackForm.booleanAttribute,
    "ChoiceCallback": CallbackForm.choice,
    "ConfirmationCallback": CallbackForm.confirmation,
    "ConsentMappingCallback": CallbackForm.consent,
    "DeviceBindingCallback": CallbackForm.deviceBinding,
    "DeviceProfileCallback": CallbackForm.deviceProfile,
    "DeviceSigningVerifierCallback": CallbackForm.deviceSigning,
    "HiddenValueCallback": CallbackForm.hiddenValue,
    "IdPCallback": CallbackForm.identityProvider,
    "KbaCreateCallback": CallbackForm.securityQuestion,
    "MetadataCallback": CallbackForm.metadata,
    "NameCallback": CallbackForm.name,
    "NumberAttributeInputCallback": CallbackForm.numberAttribute,
    "PasswordCallback": CallbackForm.password,
    "PingOneProtectEvaluationCallback": CallbackForm.unsupported,
    "PingOneProtectInitializeCallback": CallbackForm.unsupported,
    "PollingWaitCallback": CallbackForm.pollingWait,
    "ReCaptchaCallback": CallbackForm.captcha,
    "ReCaptchaEnterpriseCallback": CallbackForm.unsupported,
    "RedirectCallback": CallbackForm.redirect,
    "SelectIdPCallback": CallbackForm.providerChoice,
    "StringAttributeInputCallback": CallbackForm.stringAttribute,
    "SuspendedTextOutputCallback": CallbackForm.suspension,
    "TermsAndConditionsCallback": CallbackForm.terms,
    "TextInputCallback": CallbackForm.textInput,
    "TextOutputCallback": CallbackForm.textOutput,
    "ValidatedCreatePasswordCallback": CallbackForm.newPassword,
    "ValidatedCreateUsernameCallback": CallbackForm.newUserName,
  ]

  /// How a callback is answered; one of a type that is not known is shown as it is.
  static func form(of callback: Callback) throws(SignOnFailure) -> CallbackForm {
    if let form = all[callback.type] { return try form(callback) }
    return try CallbackForm.unknown(callback)
  }
}
