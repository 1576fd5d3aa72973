select o.order_id, o.customer_id, c.country, o.ordered_at, o.price as amount
from {{ ref('stg_orders') }} as o
join {{ ref('stg_customers') }} as c on c.customer_id = o.customer_id
where o.status = 'paid'
