internal import ControlAPI
internal import ControlClient
internal import JSON

/// The behaviour of a type of field: its notices, its question, and the conversion of text to its value.
struct Prompt: Sendable {
  /// The notices before the question.
  var notices: @Sendable (FormField) -> [Notice] = { _ in [] }
  /// Asks for the value; if the function returns `nil`, the field keeps its present value.
  ///
  /// The property itself is `nil` if the field has no question.
  var ask: (@Sendable (FormField, Questions) throws(FormExit) -> JSON?)?
  /// Converts text from the command line, or the answer to a single question, to the value.
  var value: @Sendable (FormField, String) -> JSON? = { _, text in .string(text) }
  /// True if the value can be several options.
  var takesSeveral = false
  /// True if the step waits for another device or page.
  var waits = false
  /// True if the step requires an address from the user.
  var wantsAddress = false
  /// The page of another provider that the user can open instead.
  var page: @Sendable (FormField) -> String? = { _ in nil }
}

enum Notice {
  case text(SafeText)
  /// A row of a list.
  case row(SafeText)
  /// An address, shown as a QR code too.
  case address(String)

  static func lines(_ lines: [SafeText]) -> [Notice] { lines.map { .text($0) } }
}

extension Prompt {
  /// The prompts by type of collector and of journey callback.
  static let byType: [String: Prompt] = [
    "AppIntegrityCallback": .silent,
    "BooleanAttributeInputCallback": .yesOrNo,
    "BooleanCollector": .yesOrNo,
    "ChoiceCallback": .choice,
    "ConfirmationCallback": .choice,
    "ConsentMappingCallback": .consent,
    "DeviceAuthenticationCollector": .choice,
    "DeviceBindingCallback": .agreed,
    "DeviceProfileCallback": .shown,
    "DeviceRegistrationCollector": .choice,
    "DeviceSigningVerifierCallback": .agreed,
    "FidoAuthenticationCollector": .securityKey,
    "FidoRegistrationCollector": .securityKey,
    "HiddenValueCallback": .hiddenValue,
    "IdPCallback": .page,
    "IdpCollector": .page,
    "ImageCollector": .image,
    "KbaCreateCallback": .question,
    "LabelCollector": .shown,
    "MetadataCallback": .silent,
    "MetadataCollector": .silent,
    "MobilePairingCollector": .silent,
    "MultiSelectCollector": .choices,
    "NameCallback": .line,
    "NumberAttributeInputCallback": .number,
    "PasswordCallback": .password,
    "PasswordCollector": .password,
    "PhoneNumberCollector": .phoneNumber,
    "PingOneProtectEvaluationCallback": .silent,
    "PingOneProtectInitializeCallback": .silent,
    "PollingCollector": .waiting,
    "PollingWaitCallback": .waiting,
    "ProtectCollector": .silent,
    "QrCodeCollector": .qrCode,
    "ReadOnlyTextCollector": .agreement,
    "RedirectCallback": .page,
    "SelectIdPCallback": .choice,
    "SingleSelectCollector": .choice,
    "StringAttributeInputCallback": .line,
    "SuspendedTextOutputCallback": .suspended,
    "TermsAndConditionsCallback": .terms,
    "TextCollector": .line,
    "TextInputCallback": .line,
    "TextOutputCallback": .shown,
    "ValidatedCreatePasswordCallback": .password,
    "ValidatedCreateUsernameCallback": .line,
  ]
}
