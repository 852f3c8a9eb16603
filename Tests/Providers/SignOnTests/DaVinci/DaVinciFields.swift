/// The expected pages of recorded fields.
enum DaVinciFields {
  static let byType: [String: [String]] = [
    "AGREEMENT": [
      #"agreement-field: ReadOnlyTextCollector 'Terms and Conditions' = "Please accept the terms "#
        + #"and conditions" raw"#,
      #"agreement-field: ReadOnlyTextCollector = "Please accept the terms and conditions" raw"#,
    ],
    "BUTTON": [
      "[Flow Label] flow-key flow",
      "[Continue with Google] google-login flow",
    ],
    "CHECKBOX": [
      "agree-checkbox: MultiSelectCollector 'Agreement' required of agree=I agree"
    ],
    "COMBOBOX": [
      "combobox-field: MultiSelectCollector 'Combobox' required of "
        + "combobox1=combobox1|combobox2=combobox2"
    ],
    "DEVICE_AUTHENTICATION": [
      "device-auth-key: DeviceAuthenticationCollector 'Device Authentication' of 123123=Device 1 "
        + #"device1-value|345345=Device 2 device2-value = "123123""#
    ],
    "DEVICE_REGISTRATION": [
      "device-reg-key: DeviceRegistrationCollector 'Device Registration' required of "
        + "device1=Device 1 Device 1 Description|device2=Device 2 Device 2 Description"
    ],
    "DROPDOWN": [
      "dropdown-field: SingleSelectCollector 'Dropdown' required of "
        + "dropdown1=dropdown1|dropdown2=dropdown2|dropdown3=dropdown3"
    ],
    "FIDO2": [
      "fido2: FidoRegistrationCollector 'Register your security key' raw [Go on without a "
        + "security key] fido2 flow",
      "fido2: FidoAuthenticationCollector 'Authenticate with your security key' raw [Go on "
        + "without a security key] fido2 flow",
    ],
    "IMAGE": [
      #"image-field: ImageCollector 'Test image alt text' = "https://example.com/test-image.png" "#
        + "raw",
      #"image: ImageCollector 'Alt text' = "https://example.com/image.png" raw"#,
      #"heroImage: ImageCollector 'Alt text' = "https://cdn.example.com/image.png" raw"#,
      #"image: ImageCollector 'Alt text' = "https://example.com/test-image.png" raw"#,
      #"image: ImageCollector 'Alt text' = "https://example.com/test-image.png" raw"#,
      #"image: ImageCollector 'Friendly alt text' = "https://example.com/test-image.png" raw"#,
      "image: ImageCollector 'Alt text' raw",
      #"image: ImageCollector = "https://example.com/image.png" raw"#,
      "image: ImageCollector raw",
      #"image: ImageCollector = "https://example.com/test-image.png" raw"#,
    ],
    "LABEL": [
      #"LABEL-0: LabelCollector = "Test Label""#,
      "label: LabelCollector",
      #"terms: LabelCollector = "I agree to the terms and conditions (https://example.com/)" raw"#,
      #"LABEL-0: LabelCollector = "Click here" raw"#,
      #"terms-label: LabelCollector = "I agree to the terms and conditions "#
        + #"(https://example.com/terms)" raw"#,
    ],
    "METADATA": [
      #"metadata-key: MetadataCollector = {"sessionToken":"abc123"} raw"#,
      #"metadata-key: MetadataCollector = {"sessionToken":"abc123","userId":"user-456"} raw"#,
    ],
    "PASSWORD": [
      "password: PasswordCollector 'Password' secret",
      "password: PasswordCollector 'Password' secret raw",
    ],
    "PASSWORD_VERIFY": [
      "user.password: PasswordCollector 'Password' secret raw"
    ],
    "PHONE_NUMBER": [
      "phone-number-key: PhoneNumberCollector 'Phone Number' = "
        + #"{"countryCode":"","phoneNumber":""}"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' = "
        + #"{"countryCode":"US","phoneNumber":""}"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' = "
        + #"{"countryCode":"","phoneNumber":"","extension":""} raw"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' = "
        + #"{"countryCode":"US","phoneNumber":"","extension":""} raw"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' required = "
        + #"{"countryCode":"","phoneNumber":""}"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' = "
        + #"{"countryCode":"US","phoneNumber":""}"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' = "
        + #"{"countryCode":"","phoneNumber":""}"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' = "
        + #"{"countryCode":"","phoneNumber":"","extension":""} raw"#,
      "phone-number-key: PhoneNumberCollector 'Phone Number' required = "
        + #"{"countryCode":"US","phoneNumber":"","extension":""} raw"#,
    ],
    "POLLING": [
      "polling-key: PollingCollector 'Waiting for the answer'"
    ],
    "PROTECT": [
      "protect-key: ProtectCollector 'Risk signals: not collected' raw"
    ],
    "QR_CODE": [
      #"qr-code-field: QrCodeCollector = "04ZKS2KCIWKXT8FHRX" raw"#,
      "qr-code-field: QrCodeCollector raw",
      "QR_CODE-0: QrCodeCollector raw",
    ],
    "RADIO": [
      "radio-field: SingleSelectCollector 'Radio' required of radio1=radio1|radio2=radio2"
    ],
    "SINGLE_CHECKBOX": [
      "accept-terms: BooleanCollector 'I agree to the Terms of Service "
        + "(https://example.com/tos)' required = false raw",
      "accept-terms: BooleanCollector 'I agree to the Terms of Service "
        + "(https://example.com/tos)' = false raw",
      "accept-terms: BooleanCollector 'Accept Terms' = false",
      "accept-terms: BooleanCollector 'I agree to the terms and conditions "
        + "(https://example.com/terms)' = false raw",
      "newsletter: BooleanCollector 'Subscribe to newsletter' = false",
    ],
    "SOCIAL_LOGIN_BUTTON": [
      #"google-login: IdpCollector 'Continue with Google' = "https://auth.example.com/google" raw "#
        + "[Continue with Google] google-login flow",
      #"google-login: IdpCollector 'Login with Google' = "https://auth.example.com/google" raw "#
        + "[Login with Google] google-login flow",
      #"google-login-1: IdpCollector 'Login with Google' = "https://auth.example.com/google" raw "#
        + "[Login with Google] google-login-1 flow",
    ],
    "SUBMIT_BUTTON": [
      "[Submit] submit submit",
      "[Submit Form] submit-key submit",
      "[Sign On] SIGNON submit",
    ],
    "TEXT": [
      "username: TextCollector 'Username'",
      "testKey: TextCollector 'Test Label'",
    ],
  ]
}
