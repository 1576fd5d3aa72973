# A stack of Headwater in Terraform. CloudFormation stays in charge of the resources: Terraform hands it the packaged template.
#
#   make build
#   .local/sam/bin/sam package --s3-bucket BUCKET --s3-prefix headwater/0.2.0 --output-template-file packaged.yaml
#   aws s3 cp packaged.yaml s3://BUCKET/headwater/0.2.0/template.yaml
#
#   module "headwater" {
#     source       = "./examples/terraform"
#     template_url = "https://BUCKET.s3.eu-west-1.amazonaws.com/headwater/0.2.0/template.yaml"
#     stage        = "prod"
#     parameters   = { RunRetentionDays = 90, EventRetentionDays = 30 }
#   }

variable "template_url" { type = string }
variable "stage" { type = string }
variable "parameters" {
  type    = map(string)
  default = {}
}

resource "aws_cloudformation_stack" "headwater" {
  name         = "headwater-${var.stage}"
  template_url = var.template_url
  parameters   = merge({ Stage = var.stage }, var.parameters)
  capabilities = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
}

output "outputs" { value = aws_cloudformation_stack.headwater.outputs }
