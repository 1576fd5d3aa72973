select * from {{ ref('revenue_by_country') }} where revenue < 0
