internal import ControlAPI
internal import ControlClient
internal import JSON

/// How a type of field is put to a person, and what a text means as an answer to it.
struct Prompt: Sendable {
  /// What the field shows before it is asked for.
  var notices: @Sendable (FormField) -> [Notice] = { _ in [] }
  /// Asks for the value, `nil` leaves it as it is; a field without this wants no answer.
  var ask: (@Sendable (FormField, Questions) throws(Leaving) -> JSON?)?
  /// The value that a text stands for, as it is given on the command line or to a single question.
  var value: @Sendable (FormField, String) -> JSON? = { _, text in .string(text) }
  /// Whether the value can be more than one of the options.
  var takesSeveral = false
  /// Whether it says that the step waits for something outside.
  var waits = false
  /// Whether the step goes on with an address that the person has to bring.
  var wantsAddress = false
  /// The page of another provider that can be gone to instead.
  var page: @Sendable (FormField) -> String? = { _ in nil }
}

enum Notice {
  case text(SafeText)
  /// A row of a list.
  case row(SafeText)
  /// An address, which is drawn as a QR code too.
  case address(String)

  static func lines(_ lines: [SafeText]) -> [Notice] { lines.map { .text($0) } }
}

extension Prompt {
  /// The table of types: of collectors, and of callbacks of journeys.
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
