select customer_id, name, lower(email) as email, country
from {{ ref('raw_customers') }}
