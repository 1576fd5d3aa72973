"""template.yaml in the emulator: packaged, deployed through its CloudFormation, completed by API calls."""
