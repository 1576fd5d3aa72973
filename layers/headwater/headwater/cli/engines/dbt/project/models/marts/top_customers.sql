select c.customer_id, c.name, c.email, sum(o.amount) as spent
from {{ ref('paid_orders') }} as o
join {{ ref('stg_customers') }} as c on c.customer_id = o.customer_id
group by c.customer_id, c.name, c.email
