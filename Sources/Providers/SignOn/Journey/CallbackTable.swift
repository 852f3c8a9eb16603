/// The supported callback types and their forms.
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

  /// Returns the form of a callback; an unknown type is shown as received.
  static func form(of callback: Callback) throws(SignOnFailure) -> CallbackForm {
    if let form = all[callback.type] { return try form(callback) }
    return try CallbackForm.unknown(callback)
  }
}
